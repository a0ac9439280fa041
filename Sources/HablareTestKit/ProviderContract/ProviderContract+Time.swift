import Foundation
import Hablare
import HablareSupport

extension ProviderContract {
    static let time: [Rule] = [
        Rule("The attempt timeout ends the call and closes its connection", of: .isSilent) { bench in
            let stage = bench.stage
            for play in [ServicePlay.isSilent, .pauses] where stage.plays.contains(play) {
                try await stage.withScene(play) { scene in
                    let clock = ManualClock()
                    try await bench.withEngine(on: scene, clock: clock) { manager in
                        for (number, mode) in stage.modes.enumerated() {
                            var request = stage.request(prompt(number), mode)
                            request.attemptTimeout = .seconds(30)
                            try await manager.submit(request, to: scene.provider.id)
                            await scene.calls(reach: number + 1)
                            if play == .pauses { await scene.pause(ofCall: number) }
                            let error = try await bench.failure(of: request, in: manager, runningOut: clock)
                            try require("the code, \(mode)", error.code, is: .timeout)
                            try require("the disposition, \(mode)", error.disposition, is: .outcomeUnknown)
                            try await bench.requireLeft(number, on: scene)
                        }
                    }
                }
            }
        },
        Rule(
            "Keep-alive signs of a working service are passed on as empty chunks, so that it does not count as silent",
            of: .thinks, where: { $0.modes.contains(.streamed) && !$0.yieldingModes.isEmpty }
        ) { bench in
            let stage = bench.stage
            try await stage.withScene(.thinks) { scene in
                for (number, mode) in stage.yieldingModes.enumerated() {
                    let signs = Locked(0)
                    let all = Gate()
                    let call = try await bench.call(number, mode, on: scene) { _ in
                        let count = signs.withLock { count in
                            count += 1
                            return count
                        }
                        if count == stage.signCount { all.open() }
                    } cancelledAfter: {
                        try await all.pass()
                    }
                    try call.requireCancelled()
                    try require("\(mode): no bytes of an answer are yielded", call.yielded, is: Data())
                    try require("\(mode): the number of keep-alive signs", signs.withLock { $0 }, is: stage.signCount)
                }
            }
        },
        Rule(
            "A service that stays silent beyond its limit leaves the outcome unknown", of: .isSilent,
            where: \.watchesSilence
        ) { bench in
            let stage = bench.stage
            try await stage.withScene(.isSilent) { scene in
                for (number, mode) in stage.modes.enumerated() {
                    let call = try await bench.soon("the end of a silent call", on: scene) {
                        try await bench.call(number, mode, on: scene, timeout: .milliseconds(100))
                    }
                    let error = try call.requireFailure()
                    try require("the code, \(mode)", error.code, is: .timeout)
                    try require("the disposition, \(mode)", error.disposition, is: .outcomeUnknown)
                    try await bench.requireLeft(number, on: scene)
                }
            }
        },
    ]
}

extension ProviderWorkbench {
    /// Returns the failure of a request whose attempt reaches its timeout.
    ///
    /// The clock is advanced until the timeout, because each piece of a stream starts the timeout again.
    fileprivate func failure(
        of request: AIRequest, in manager: AIRequestManager, runningOut clock: ManualClock
    ) async throws -> AIServiceError {
        let error = try await running(clock) { () -> AIServiceError? in
            do {
                _ = try await manager.execute(requestID: request.id)
                return nil
            } catch let error as AIServiceError {
                return error
            }
        }
        return try require("a failure because of the time limit", error)
    }
}
