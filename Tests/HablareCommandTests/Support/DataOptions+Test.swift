@testable import HablareCommand

extension DataOptions {
    /// Options as if nothing, or only the folder, was said on the command line.
    static func test(in folder: String? = nil) -> DataOptions {
        var options = DataOptions()
        var configuration = ConfigurationOptions()
        configuration.config = nil
        (options.dataDir, options.configuration, options.verbose) = (folder, configuration, false)
        return options
    }
}
