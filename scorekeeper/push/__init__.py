"""Web Push: encrypting a message for a browser, signing for its push service, and sending in the background."""
