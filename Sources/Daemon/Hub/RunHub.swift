import Options

func runHub(_ settings: HubSettings) -> ExitStatus { .unavailable }
