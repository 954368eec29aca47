"""The local Feishu: the open platform's calls, CardKit's rules, sealed pushes, and people to chat with."""
