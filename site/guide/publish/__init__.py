"""What a published guide has besides its pages: twins, feed, cards, downloads, offline copy, policy."""
