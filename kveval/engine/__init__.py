"""Running vLLM: `server` starts and stops one, `client` talks to it, `facts` reads what it really runs."""
