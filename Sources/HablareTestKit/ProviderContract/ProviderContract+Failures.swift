import Hablare

extension ProviderContract {
    static let failures: [Rule] = [
        Rule("Each failure of the service maps to its error, and never becomes an answer", of: .refuses) {
            bench in
            let stage = bench.stage
            try require("the stage has at least one failure", !stage.failures.isEmpty)
            try await stage.withScene(.refuses) { scene in
                for mode in stage.modes {
                    try await bench.calls(0..<stage.failures.count, mode, on: scene) { call in
                        try call.requireFailure(stage.failures[call.number])
                    }
                }
            }
        },
        Rule("An error page of 10 MB is not read to its end", of: .floods) { bench in
            let stage = bench.stage
            try await stage.withScene(.floods) { scene in
                for (number, mode) in stage.modes.enumerated() {
                    let call = try await bench.soon("the end of a large error page", on: scene) {
                        try await bench.call(number, mode, on: scene)
                    }
                    try call.requireFailure(stage.flood)
                    try require("the error is smaller than 16 KiB", "\(call.result)".utf8.count < 16 << 10)
                    try await bench.requireLeft(number, on: scene)
                }
            }
        },
        Rule("A response that is not of the service's API fails without a retry", of: .mistakes) { bench in
            let stage = bench.stage
            try require("the stage has at least one answer of another API", stage.mistakeCount > 0)
            try await stage.withScene(.mistakes) { scene in
                for mode in stage.modes {
                    try await bench.calls(0..<stage.mistakeCount, mode, on: scene) { call in
                        let error = try call.requireFailure()
                        try require("the code of \(call.name)", error.code, is: .invalidResponse)
                        try require("\(call.name) is not retried", !error.isRetryable)
                    }
                }
            }
        },
    ]
}
