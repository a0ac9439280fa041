import HablareCommand

/// The executable. The command is a library, so that tests can run it, too.
@main
enum Main {
    static func main() async {
        await HablareCommand.main()
    }
}
