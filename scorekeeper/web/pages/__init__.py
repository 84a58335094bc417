"""Pages of no circle: rules, help, security, sample evenings, and the files of the service worker."""
