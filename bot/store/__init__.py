"""What the bot keeps: the inbox in a database, files and readings in directories."""
