"""What tests of several features share: visitors, phones, servers, databases, and circles filled with something."""
