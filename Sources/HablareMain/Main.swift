import HablareCommand

/// The executable: the command is a library, so that tests run it too.
@main
enum Main {
    static func main() async {
        await HablareCommand.main()
    }
}
