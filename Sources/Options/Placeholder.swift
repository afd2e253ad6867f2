// Room for what comes.
