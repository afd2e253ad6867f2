import Testing

@testable import Session

@Suite struct RecentMessagesTests {
  private let you = Array("you".utf8)

  private func id(_ number: Int) -> [UInt8] { Array("\(number)".utf8) }

  @Test("a message is known in the next count, by its sender and id")
  func known() {
    var recent = RecentMessages()
    recent.note(sender: you, id: id(1))
    recent.note(sender: nil, id: id(2))
    #expect(!recent.isKnown(sender: you, id: id(1)))
    recent.beginAnew()
    #expect(recent.isKnown(sender: you, id: id(1)))
    #expect(!recent.isKnown(sender: nil, id: id(1)))
    #expect(!recent.isKnown(sender: you, id: id(2)))
    #expect(recent.isKnown(sender: nil, id: id(2)))
  }

  @Test("a message without an id is never known")
  func nameless() {
    var recent = RecentMessages()
    recent.note(sender: you, id: [])
    recent.beginAnew()
    #expect(!recent.isKnown(sender: you, id: []))
  }

  @Test(
    "the newest are kept, in one count and over several", arguments: [1, 255, 256, 257, 1000],
    [100, 2000])
  func bounded(count: Int, perCount: Int) {
    var recent = RecentMessages()
    for number in 0..<count {
      recent.note(sender: you, id: id(number))
      if number % perCount == perCount - 1 { recent.beginAnew() }
    }
    recent.beginAnew()
    for number in 0..<count {
      #expect(
        recent.isKnown(sender: you, id: id(number)) == (number >= count - RecentMessages.capacity))
    }
  }
}
