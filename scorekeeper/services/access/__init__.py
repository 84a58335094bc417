"""Access: links, and the devices that joined by them."""
