"""What the readers of mail share: letters, and the two ways in which they are stored."""
