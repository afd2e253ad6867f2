import Glibc
import Posix
import Testing
import Timeline

@Suite("Clocks and randomness")
struct ClocksTests {
  @Test("the monotonic clock never goes back and is the system's CLOCK_BOOTTIME")
  func monotonic() {
    var last = MonotonicClock.now()
    for _ in 0..<1000 {
      let now = MonotonicClock.now()
      #expect(now >= last)
      last = now
    }
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    let seconds = last.nanoseconds / 1_000_000_000
    #expect(abs(seconds - Int64(time.tv_sec)) <= 1)
  }

  @Test("the wall clock is the time of day")
  func wall() {
    #expect(abs(WallClock.now().unixMilliseconds / 1000 - Int64(time(nil))) <= 1)
  }

  @Test("randomness fills what it is given", arguments: [0, 1, 255, 256, 257, 1000])
  func entropy(_ count: Int) {
    let bytes = Entropy.bytes(count)
    #expect(bytes.count == count)
    // 32 equal bytes in a row would be one chance in 2^248.
    if count >= 32 { #expect(Set(bytes.suffix(32)).count > 1) }
    var pool = [UInt32](repeating: 0, count: 200)
    Entropy.refill(&pool)
    #expect(Set(pool).count > 100)
  }
}
