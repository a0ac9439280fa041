import HablareProviders

@testable import HablareCommand

extension Sequence<String> {
    /// The names of providers and services without the presets, which exist in every configuration.
    var withoutPresets: [String] {
        filter { OpenAIPreset.named(ServiceOptions.service(of: $0)) == nil }
    }
}
