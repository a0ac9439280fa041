import Foundation
import Hablare
import HablareProviders

/// The decision whether a request waits for a batch of its service, or is sent at once as a normal call.
struct BatchChoice: Sendable, Hashable {
    /// The shortest deadline with which a request waits for a batch, in seconds: 2 hours. Most batches end within one
    /// hour, and half an hour is kept for a normal call.
    static let shortest: Double = 7200
    /// The deadline if `--batch` is given without a deadline, in seconds. It is a day, because the vendors end every
    /// batch within a day.
    static let usual: Double = 86_400

    /// Whether the request waits for a batch.
    var isBatch: Bool
    /// The time until the deadline in seconds; `nil` for none.
    var deadline: Double?
    /// The note for the user about a normal call; `nil` if there is none.
    var note: String?

    /// - Parameters:
    ///   - wanted: The flag `--batch` or `--no-batch`; `nil` if neither is given.
    ///   - deadline: The time until the deadline in seconds; `nil` if none is given.
    ///   - hindrance: An option that is impossible with a batch, such as `--stream`; `nil` if there is none.
    ///   - isCharged: Whether the provider is a service that charges.
    ///   - lack: The reason why the provider has no batches, as a part of a sentence; `nil` if it has batches.
    /// - Throws: ``CommandFailure`` with the status `usage` if `--batch` is given and impossible.
    init(
        wanted: Bool?, deadline: Double?, hindrance: String?, isCharged: Bool, lack: String?
    ) throws(CommandFailure) {
        let deadline = deadline ?? (wanted == true ? Self.usual : nil)
        self.deadline = deadline
        isBatch = false
        guard wanted != false, let deadline else { return }
        let isLong = deadline >= Self.shortest
        if wanted == true {
            if let hindrance {
                throw CommandFailure(.usage, "--batch cannot be combined with \(hindrance). Leave one of them out.")
            }
            if let lack { throw CommandFailure(.usage, "--batch: \(lack). Leave --batch out to call it live.") }
            guard isLong else {
                throw CommandFailure(
                    .usage,
                    "--batch needs a --deadline of at least 2h: a batch may take long. Give a later one, or none for 24h."
                )
            }
        }
        guard isLong, hindrance == nil else { return }
        guard lack == nil else {
            if let lack, isCharged { note = "The request is called live, at the full price: \(lack)." }
            return
        }
        isBatch = true
    }
}

extension AIRequest {
    /// Returns the request as it waits for a batch.
    func waiting(orLive live: InstalledProvider) -> AIRequest {
        guard let date = self.deadline else { return self }
        return self.deadline(.by(date), model: live.askedModel, orLive: live.provider.id)
    }

    /// Returns a note for the user about a request that waits for a batch; `nil` without a deadline.
    func batchNote(of live: InstalledProvider, at time: LocalTime) -> String? {
        guard let deadline else { return nil }
        let leaves = time.clock(deadline.addingTimeInterval(-VendorBatchProvider.usualReserve))
        return "Waits for a batch of \(live.name), at half of the price. If that has not ended at \(leaves), "
            + "\(live.name) is called live. To call it now: --no-batch"
    }
}
