import Foundation
import Hablare
import HablareSupport

extension ProviderContract {
    static let cuts: [Rule] = [
        Rule(
            "An answer cut off at any byte never counts as complete, and its chunks are a prefix of it",
            of: .breaksOff
        ) {
            bench in
            let stage = bench.stage
            let modes = try bench.modes(of: .breaksOff)
            try await stage.withScene(.breaksOff) { scene in
                for mode in modes {
                    try await bench.cut(.breaksOff, mode, on: scene) { call, error in
                        try require(
                            "the disposition after \(call.name)", stage.lostCall.contains(error.disposition),
                            or: "\(error.disposition), \(error)")
                    }
                }
            }
        },
        Rule(
            "An answer that ends early without an error fails without a retry",
            of: .endsEarly
        ) { bench in
            let stage = bench.stage
            let modes = try bench.modes(of: .endsEarly)
            try await stage.withScene(.endsEarly) { scene in
                for mode in modes {
                    try await bench.cut(.endsEarly, mode, on: scene) { call, error in
                        try require("\(call.name) is not retried", !error.isRetryable, or: "\(error)")
                    }
                }
            }
        },
    ]
}

extension ProviderWorkbench {
    /// Returns the modes in which an answer can be cut. Throws a violation if there are none.
    fileprivate func modes(of play: ServicePlay) throws -> [ProviderMode] {
        let modes = stage.modes.filter { stage.byteCount(of: play, $0) > 0 }
        try require("the stage has an answer that can be truncated", !modes.isEmpty)
        return modes
    }

    /// Calls the provider once for each place at which an answer is cut: after every byte, or, for an early end, after
    /// some of the bytes. If an answer lacks only its end mark, the provider may accept it as complete.
    fileprivate func cut(
        _ play: ServicePlay, _ mode: ProviderMode, on scene: any ProviderScene,
        _ failed: @escaping @Sendable (ContractCall, AIServiceError) throws -> Void
    ) async throws {
        let count = stage.byteCount(of: play, mode)
        let seen = Locked((failures: 0, most: 0))
        // An early end in order is tried only at every fourth byte and near the end, because the bytes between add
        // nothing new.
        let numbers = (0..<count).filter { play == .breaksOff || $0 % 4 == 0 || $0 > count - 16 }
        try await calls(numbers, mode, on: scene) { call in
            let whole = stage.content(for: call.number)
            let bytes = try whole.body?.read() ?? Data()
            try require(
                "the yielded bytes of \(call.name) are the beginning of the answer", bytes.starts(with: call.yielded))
            guard let error = call.failure else { return try call.requireContent(whole) }
            try failed(call, error)
            seen.withLock { $0 = ($0.failures + 1, max($0.most, call.yielded.count)) }
        }
        let (failures, most) = seen.withLock { $0 }
        // Information about the content follows it, and an answer that lacks only that is complete.
        try require(
            "\(mode): more than a quarter of the truncated answers fail", failures > numbers.count / 4,
            or: "\(failures) of \(numbers.count)")
        if stage.yieldingModes.contains(mode), play == .breaksOff {
            try require("\(mode): the bytes before a truncation are yielded", most > 0)
        }
        let uncut = try await soon("a whole answer", on: scene) { try await call(count, mode, on: scene) }
        try uncut.requireContent(stage.content(for: count))
    }
}

/// Throws a violation that contains the actual result, if a condition is false.
private func require(
    _ what: String, _ condition: Bool, or found: @autoclosure () -> String, file: String = #fileID, line: Int = #line
) throws {
    guard !condition else { return }
    throw ContractViolation(message: "\(what): \(found())", location: "\(file):\(line)")
}
