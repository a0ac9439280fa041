import Foundation
import Hablare
import HablareTestKit

/// The names of requests, jobs, providers and prompts in a history. They are computed from numbers.
enum SimulationNames {
    /// Returns the UUID of a request. UUIDs are not in the order of the numbers.
    static func id(_ number: Int32, seed: UInt64) -> UUID {
        var random = SeededGenerator(seed: seed ^ UInt64(truncatingIfNeeded: number) &* 0x9e37_79b9)
        let front = random.next()
        func byte(_ value: UInt64, _ shift: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: value >> shift) }
        let tail = UInt64(truncatingIfNeeded: number)
        return UUID(
            uuid: (
                0x01, byte(front, 0), byte(front, 8), byte(front, 16), 0, 0, 0x70, byte(front, 24), 0x80, 0, 0, 0,
                byte(tail, 24), byte(tail, 16), byte(tail, 8), byte(tail, 0)
            ))
    }

    /// Returns the number of a request.
    static func number(_ id: UUID) -> Int32 {
        let bytes = id.uuid
        return Int32(bytes.12) << 24 | Int32(bytes.13) << 16 | Int32(bytes.14) << 8 | Int32(bytes.15)
    }

    private static let providers: [ProviderID] = ["p0", "p1", "p2", "p3"]

    static func provider(_ number: Int) -> ProviderID { providers[number] }
    /// Returns the date at a virtual time. It is correct if no clock has jumped.
    static func date(_ time: Int64) -> Date { Date(timeIntervalSince1970: 1_800_000_000 + Double(time) / 1e9) }
    static func time(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 - 1_800_000_000) * 1e9) }

    private static let accounts: [AccountID] = ["a0", "a1", "a2", "a3"]
    static func account(_ number: Int) -> AccountID { accounts[number] }
    static func job(_ number: Int32) -> JobKey { JobKey(rawValue: "job \(number)") }
    static func prompt(_ content: Int32) -> String { "content \(content)" }

    /// Returns the number of the content that a prompt names, or -1 for a prompt that was never submitted.
    static func content(_ prompt: Prompt) -> Int32 {
        guard case .text(let text) = prompt, text.hasPrefix("content ") else { return -1 }
        return Int32(text.dropFirst(8)) ?? -1
    }

    // MARK: Answers

    /// Returns the text of an answer that is returned as a whole.
    static func answer(_ call: Int32) -> String { "answer \(call)" }

    /// The number of the first piece that a provider yields after its call has ended. No answer has so many pieces.
    static let latePiece: Int32 = 1000

    /// Returns the text of one piece of an answer.
    static func piece(_ number: Int32, of call: Int32) -> String { "\(number):\(call) " }

    /// Returns the numbers of the call and of the piece that a text contains. If the text is a whole answer, the piece
    /// is 0. Returns `nil` for any other text.
    static func piece(_ text: some StringProtocol) -> (call: Int32, piece: Int32)? {
        if text.hasPrefix("answer ") { return Int32(text.dropFirst(7)).map { ($0, 0) } }
        let numbers = text.split(separator: ":")
        guard numbers.count == 2, let piece = Int32(numbers[0]),
            let call = Int32(numbers[1].hasSuffix(" ") ? numbers[1].dropLast() : numbers[1])
        else { return nil }
        return (call, piece)
    }

    // MARK: Work that outlives its call

    /// Returns the resume handle for the work of a call. The handle also contains the number of pieces of the work.
    static func handle(_ call: Int32, pieces: Int) -> Data { Data("work \(call) of \(pieces)".utf8) }

    /// Returns the work that a resume handle identifies.
    static func work(_ handle: Data) -> (call: Int32, pieces: Int)? {
        let words = String(decoding: handle, as: UTF8.self).split(separator: " ")
        guard words.count == 4, let call = Int32(words[1]), let pieces = Int(words[3]) else { return nil }
        return (call, pieces)
    }

    /// Returns the number of the call that an answer names, or -1 if the text is not a complete answer.
    static func call(ofAnswer text: String) -> Int32 {
        if text.hasPrefix("answer ") { return piece(text)?.call ?? -1 }
        let pieces = text.split(separator: " ").map { piece($0) }
        guard let first = pieces.first, let first else { return -1 }
        let isWhole = pieces.enumerated().allSatisfy { number, piece in
            piece.map { $0.call == first.call && $0.piece == Int32(number) } ?? false
        }
        return isWhole ? first.call : -1
    }
}
