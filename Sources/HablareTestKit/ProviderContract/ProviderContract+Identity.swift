import Hablare

extension ProviderContract {
    static let identity: [Rule] = [
        Rule("The provider's identity depends on its address and model, not on its key") {
            bench in
            let usual = try require("the usual provider", try bench.instance(changing: nil))
            try require("the same provider again", try bench.instance(changing: nil), is: usual)
            for change in [ProviderChange.address, .model] {
                guard let other = try bench.instance(changing: change) else { continue }
                try require("the instance with another \(change.rawValue) differs from \(usual)", other != usual)
            }
            if let other = try bench.instance(changing: .key) { try require("with another key", other, is: usual) }
            try require(
                "the stage has another address or model",
                try bench.instance(changing: .address) != nil || bench.instance(changing: .model) != nil)
        },
        Rule("An engine accepts the provider's limits, name and content type") { bench in
            let provider = try require("the usual provider", try bench.stage.provider(changing: nil))
            let registry = try await taken("a registry with the provider") { try ProviderRegistry([provider]) }
            try require("the ids", registry.ids, is: [provider.id])
            try require("the declared response type", provider.responseType, is: bench.stage.responseType)
            for mode in bench.stage.modes {
                let request = bench.stage.request(prompt(0), mode)
                let units = provider.units(of: request)
                try require("the units of a request, \(units)", units.isFinite && units >= 0)
                guard let most = provider.maximumUsage(of: request) else { continue }
                try require("the maximum usage of a call, \(most), has no negative number", !most.isImpossible)
                let used = bench.stage.usage
                // If the provider knows the cost, only the cost counts.
                let isEnough =
                    most.costMicroDollars.map { $0 >= used.costMicroDollars ?? 0 }
                    ?? (most.inputTokens >= used.inputTokens && most.outputTokens >= used.outputTokens
                        && most.characters >= used.characters)
                try require("the maximum usage of a call, \(most), is not less than the usage of a call", isEnough)
            }
        },
    ]
}

extension ProviderWorkbench {
    /// Returns the instance of the provider under test with one change. Returns `nil` if no such provider exists.
    fileprivate func instance(changing change: ProviderChange?) throws -> ProviderInstance? {
        let provider = try stage.provider(changing: change)
        return provider?.instance
    }
}
