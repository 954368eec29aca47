"""`duwen demo`: the bot's whole job on real files, against the local Feishu and the local model endpoint."""
