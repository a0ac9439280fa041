import Hablare

extension ProviderContract {
    static let answers: [Rule] = [
        Rule("A successful answer has the promised content type and reports its usage", of: .answers) { bench in
            let stage = bench.stage
            try await stage.withScene(.answers) { scene in
                try require("the declared response type", scene.provider.responseType, is: stage.responseType)
                for mode in stage.modes {
                    let call = try await bench.soon("an answer", on: scene) { try await bench.call(7, mode, on: scene) }
                    try call.requireContent(stage.content(for: 7))
                    try require("the content type, \(mode)", try call.content()?.type, is: stage.responseType)
                    try require("the usage, \(mode)", try call.result.get().usage, is: stage.usage)
                    try require("the usage is not empty", stage.usage != Usage())
                }
            }
        },
        Rule("An engine delivers the provider's answer unchanged", of: .answers) { bench in
            let stage = bench.stage
            try await stage.withScene(.answers) { scene in
                try await bench.withEngine(on: scene) { manager in
                    for (number, mode) in stage.modes.enumerated() {
                        let request = stage.request(prompt(number), mode)
                        let response = try await taken("an engine's answer, \(mode)") {
                            try await manager.execute(request, with: scene.provider.id)
                        }
                        let content = try await taken("an engine's content, \(mode)") { try response.content }
                        try require("the content, \(mode)", content, is: stage.content(for: number))
                        try require("the tokens, \(mode)", response.usage.inputTokens, is: stage.usage.inputTokens)
                        try require("the characters, \(mode)", response.usage.characters, is: stage.usage.characters)
                    }
                }
            }
        },
        Rule("An answer received byte by byte equals the answer received at once", of: .drips) { bench in
            let stage = bench.stage
            try await stage.withScene(.drips) { scene in
                for mode in stage.modes {
                    let call = try await bench.soon("an answer", on: scene) { try await bench.call(8, mode, on: scene) }
                    try call.requireContent(stage.content(for: 8))
                    try require("the usage, \(mode)", try call.result.get().usage, is: stage.usage)
                }
            }
        },
        Rule("Chunks are yielded as they arrive", of: .pauses, where: { !$0.yieldingModes.isEmpty }) {
            bench in
            let stage = bench.stage
            try await stage.withScene(.pauses) { scene in
                for mode in stage.yieldingModes {
                    let first = Gate()
                    let call = try await bench.call(9, mode, on: scene) { piece in
                        if !piece.isEmpty { first.open() }
                    } cancelledAfter: {
                        try await first.pass()
                    }
                    let whole = try require("bytes", stage.content(for: 9).body).read()
                    try require(
                        "\(mode): the yielded bytes are the beginning of the answer", whole.starts(with: call.yielded))
                    try require("\(mode): a part of the answer is not yielded yet", call.yielded.count < whole.count)
                }
            }
        },
        Rule("Concurrent calls do not mix their answers", of: .answers) { bench in
            let stage = bench.stage
            try await stage.withScene(.answers) { scene in
                for mode in stage.modes {
                    try await bench.calls(100..<124, mode, on: scene, atOnce: 24) { call in
                        try call.requireContent(stage.content(for: call.number))
                    }
                }
            }
        },
        Rule(
            "Rate limits in the service's headers are reported, with an answer and with a refusal", of: .answers,
            where: { $0.limits != nil }
        ) { bench in
            let stage = bench.stage
            for play in [ServicePlay.answers, .refuses] where stage.plays.contains(play) {
                try await stage.withScene(play) { scene in
                    let call = try await bench.soon("an answer or a refusal", on: scene) {
                        try await bench.call(0, bench.mode, on: scene)
                    }
                    try require("the limits, service \(play)", call.limits, is: stage.limits)
                }
            }
        },
    ]
}
