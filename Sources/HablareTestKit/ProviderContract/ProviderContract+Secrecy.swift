import Hablare

extension ProviderContract {
    static let secrecy: [Rule] = [
        Rule("A prompt or key that the service echoes appears in no error and no metadata", of: .repeats) { bench in
            let stage = bench.stage
            try require(
                "the stage has at least one answer that repeats the prompt or the key", stage.repetitionCount > 0)
            try await stage.withScene(.repeats) { scene in
                for mode in stage.modes {
                    // Any result is allowed, because every call of a rule is checked for the prompt and the key.
                    try await bench.calls(0..<stage.repetitionCount, mode, on: scene) { _ in }
                }
            }
        },
        Rule("No prompt and no key is logged", of: .repeats) { bench in
            let stage = bench.stage
            let log = bench.log ?? LogRecorder()
            try await stage.withScene(.repeats) { scene in
                for mode in stage.modes {
                    for first in stride(from: 0, to: stage.repetitionCount, by: 4) {
                        let numbers = first..<min(first + 4, stage.repetitionCount)
                        // A new engine for every few calls: its clock stands still, and a rate limit would hold back
                        // more of them.
                        try await bench.withEngine(on: scene, log: log) { manager in
                            for number in numbers {
                                let error = await failure {
                                    try await manager.execute(
                                        stage.request(prompt(number), mode), with: scene.provider.id)
                                }
                                try bench.requireNoKey("the failure in an engine", error)
                                try bench.requireNoPrompt("the failure in an engine", error)
                            }
                        }
                    }
                }
            }
            for line in log.lines {
                try bench.requireNoKey("a line of the log", line)
                try bench.requireNoPrompt("a line of the log", line)
            }
        },
        Rule("The provider's description contains no key", where: { !$0.keys.isEmpty }) { bench in
            for change in [nil] + ProviderChange.allCases.map(Optional.some) {
                guard let provider = try bench.stage.provider(changing: change) else { continue }
                var dumped = ""
                dump(provider, to: &dumped)
                let shown = [
                    "dump": dumped, "description": "\(provider)", "reflection": String(reflecting: provider),
                    "id": provider.id.rawValue, "instance": provider.instance.rawValue,
                    "account": provider.account.rawValue,
                ]
                for (what, text) in shown { try bench.requireNoKey("the provider's \(what)", text) }
            }
        },
    ]
}

extension ProviderContract {
    /// Returns the description of a failure, or an empty text for a success.
    private static func failure(of operation: () async throws -> AIResponseData) async -> String {
        do {
            _ = try await operation()
            return ""
        } catch {
            return String(reflecting: error)
        }
    }
}
