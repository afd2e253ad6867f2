import Testing

@testable import Hub

@Suite struct ChaosTests {
  @Test("the same seed decides the same, another one otherwise")
  func seeds() throws {
    let spec = try ChaosSpec("drop-after=1-1000000,lose-acks=50%")
    func decisions(_ spec: ChaosSpec, seed: UInt64) -> [UInt64] {
      var chaos = Chaos(spec, seed: seed)
      return (0..<50).flatMap { _ in
        [chaos.makeLink().framesLeft ?? 0, chaos.losesAck() ? 1 : 0]
      }
    }
    #expect(decisions(spec, seed: 1) == decisions(spec, seed: 1))
    #expect(decisions(spec, seed: 1) != decisions(spec, seed: 2))
    let seeded = try ChaosSpec("drop-after=1-1000000,lose-acks=50%,seed=1")
    #expect(decisions(seeded, seed: 2) == decisions(spec, seed: 1))
  }

  @Test("acks are lost by count or by chance")
  func acks() throws {
    var third = try Chaos(ChaosSpec("lose-acks=3"), seed: 0)
    let thirds = (1...6).map { _ in third.losesAck() }
    #expect(thirds == [false, false, true, false, false, true])
    var half = try Chaos(ChaosSpec("lose-acks=50%"), seed: 0)
    let halves = (0..<1_000).filter { _ in half.losesAck() }
    #expect((400..<600).contains(halves.count))
    var all = try Chaos(ChaosSpec("lose-acks=100%"), seed: 0)
    let all100 = (0..<100).allSatisfy { _ in all.losesAck() }
    #expect(all100)
    var none = try Chaos(ChaosSpec("lose-acks=0%"), seed: 0)
    let none100 = (0..<100).allSatisfy { _ in !none.losesAck() }
    #expect(none100)
    var unset = try Chaos(ChaosSpec("delay=1"), seed: 0)
    let lost = unset.losesAck()
    let status = unset.takeRefusal()
    #expect(!lost && status == nil)
  }

  @Test("requests are refused for ever or a few times")
  func refusals() throws {
    var twice = try Chaos(ChaosSpec("refuse=503x2"), seed: 0)
    let statuses = (0..<4).map { _ in twice.takeRefusal() }
    #expect(statuses == [503, 503, nil, nil])
    var always = try Chaos(ChaosSpec("refuse=401"), seed: 0)
    let refusesAll = (0..<4).allSatisfy { _ in always.takeRefusal() == 401 }
    #expect(refusesAll)
  }

  @Test("a link counts its frames")
  func links() throws {
    var chaos = try Chaos(ChaosSpec("drop-after=3,stop-reading=2"), seed: 0)
    var link = chaos.makeLink()
    let frames = (0..<4).map { _ in link.countFrame() }
    #expect(frames == [false, false, true, true])
    let readings = (0..<3).map { _ in link.countReading() }
    #expect(readings == [false, true, true])
    var free = Chaos.Link(framesLeft: nil, readingsLeft: nil)
    let ends = free.countFrame() || free.countReading()
    #expect(!ends)
    let range = try ChaosSpec("drop-after=5-7")
    var ranged = Chaos(range, seed: 3)
    let drawn = Set((0..<100).map { _ in ranged.makeLink().framesLeft })
    #expect(drawn == [5, 6, 7])
  }
}
