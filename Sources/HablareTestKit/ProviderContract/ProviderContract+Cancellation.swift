import Foundation
import Hablare
import HablareSupport

extension ProviderContract {
    static let cancellation: [Rule] = [
        Rule("A call cancelled before its answer ends and closes its connection", of: .isSilent) { bench in
            let stage = bench.stage
            try await stage.withScene(.isSilent) { scene in
                for (number, mode) in stage.modes.enumerated() {
                    let call = try await bench.call(number, mode, on: scene) {
                        await scene.calls(reach: number + 1)
                    }
                    try call.requireCancelled()
                    try await bench.requireLeft(number, on: scene)
                }
            }
        },
        Rule("A call cancelled during its answer ends and closes its connection", of: .pauses) {
            bench in
            let stage = bench.stage
            try await stage.withScene(.pauses) { scene in
                for (number, mode) in stage.modes.enumerated() {
                    let first = Gate()
                    let call = try await bench.call(number, mode, on: scene) { piece in
                        if !piece.isEmpty { first.open() }
                    } cancelledAfter: {
                        await scene.pause(ofCall: number)
                        if stage.yieldingModes.contains(mode) { try await first.pass() }
                    }
                    try call.requireCancelled()
                    try await bench.requireLeft(number, on: scene)
                }
            }
        },
        Rule("A call cancelled before it starts sends nothing", of: .answers) { bench in
            let stage = bench.stage
            try await stage.withScene(.answers) { scene in
                for mode in stage.modes {
                    let call = try await bench.soon("the end of a cancelled call", on: scene) {
                        try await withThrowingTaskGroup(of: ContractCall.self) { group in
                            group.cancelAll()
                            group.addTask { try await bench.call(1, mode, on: scene) }
                            return try require("the call", try await group.next())
                        }
                    }
                    try call.requireCancelled()
                    try require("nothing is yielded", call.yielded, is: Data())
                }
                // An earlier call would have reached the service before this one.
                let call = try await bench.soon("an answer", on: scene) {
                    try await bench.call(2, bench.mode, on: scene)
                }
                try call.requireContent(stage.content(for: 2))
                try require("the number of calls that the service received", scene.callCount, is: 1)
            }
        },
        Rule(
            "A refused chunk ends the call with the refusal's error", of: .pauses,
            where: { !$0.yieldingModes.isEmpty }
        ) { bench in
            let stage = bench.stage
            try await stage.withScene(.pauses) { scene in
                let full = AIServiceError(.storageFull, "There is no space for the chunk.")
                for (number, mode) in stage.yieldingModes.enumerated() {
                    let call = try await bench.soon("the end of a call whose chunk is refused", on: scene) {
                        try await bench.call(number, mode, on: scene) { if !$0.isEmpty { throw full } }
                    }
                    try require("the failure, \(mode)", call.failure, is: full)
                    try await bench.requireLeft(number, on: scene)
                }
            }
        },
        Rule("An endless answer is read only up to the size limit", of: .neverEnds) { bench in
            let stage = bench.stage
            try await stage.withScene(.neverEnds) { scene in
                let full = AIServiceError(.storageFull, "There is no space for the chunk.")
                for (number, mode) in stage.modes.enumerated() {
                    let taken = Locked(0)
                    let call = try await bench.soon("the end of an endless answer", on: scene) {
                        try await bench.call(number, mode, on: scene) { piece in
                            let all = taken.withLock { taken in
                                taken += piece.count
                                return taken
                            }
                            if all > 256 << 10 { throw full }
                        }
                    }
                    _ = try call.requireFailure()
                    try await bench.requireLeft(number, on: scene)
                    guard let count = await scene.ending(ofCall: number).byteCount else { continue }
                    let most = (stage.yieldingModes.contains(mode) ? 256 << 10 : stage.mostGathered) + (16 << 20)
                    try require("\(mode): the service sent \(count) bytes; at most \(most) are allowed", count <= most)
                }
            }
        },
    ]
}
