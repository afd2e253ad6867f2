import Testing

@Suite struct SimulationTests {
  /// A failure names its seed.
  @Test(arguments: UInt64(0)..<400)
  func theBridgeKeepsItsPromises(seed: UInt64) throws {
    try Simulation(seed: seed).run()
  }
}
