@testable import HablareCommand

extension DataOptions {
    /// Returns options as if only the folder, or nothing, was given on the command line.
    static func test(in folder: String? = nil) -> DataOptions {
        var options = DataOptions()
        var configuration = ConfigurationOptions()
        configuration.config = nil
        (options.dataDir, options.configuration, options.verbose) = (folder, configuration, false)
        return options
    }
}
