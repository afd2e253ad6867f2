import Daemon

@main
struct Main {
  static func main() {
    Program.main()
  }
}
