import Testing

@testable import Options

/// Swift Testing has an `ExitStatus` too.
typealias Status = Options.ExitStatus

@Suite struct ExitStatusTests {
  @Test func numbersAreThoseOfSysexits() {
    let numbers: [Int32] = [0, 64, 65, 69, 73, 74, 75, 76, 77, 78]
    #expect(Status.allCases.map(\.rawValue) == numbers)
  }

  @Test func everyMeaningIsOneOfItsOwn() {
    let meanings = Status.allCases.map(\.meaning)
    #expect(Set(meanings).count == meanings.count)
    #expect(meanings.allSatisfy { !$0.isEmpty && $0.count <= 70 })
  }

  @Test(
    arguments: [
      (Command.run, [0, 64, 65, 69, 74, 76, 77, 78]), (.hub, [0, 64, 69, 74, 78]),
      (.help, [0, 64]),
    ] as [(Command, [Int32])])
  func aCommandEndsWithItsOwn(command: Command, numbers: [Int32]) {
    #expect(Status.statuses(of: command).map(\.rawValue) == numbers)
  }
}
