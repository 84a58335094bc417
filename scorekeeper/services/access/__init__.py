"""Access: links, the devices that joined by them, and cookies of earlier versions."""
