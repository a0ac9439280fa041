import Foundation

extension Journal {
    /// How long a request whose prompt cannot be read is left alone, in seconds.
    private static let pause: TimeInterval = 5

    @concurrent func reading(_ claim: Claim, from content: (any ContentReading)?) async -> Claim {
        claim.readingPrompts(from: content)
    }

    /// One whose prompt cannot be read now, for want of a file handle, say, is not lost. It is put back for a while, so
    /// that neither it nor those after it wait for each other. Where that cannot be written, it fails as it would have:
    /// what is leased and known to nobody would never be sent.
    func setAsideUnread(_ claim: Claim, at date: Date) async -> Claim {
        let later = date.addingTimeInterval(Self.pause)
        var writes: [StoreWrite] = []
        var unread: Set<FlightID> = []
        for flight in claim.flights where flight.failure?.isPassing == true {
            do throws(FlightLifecycle.Refusal) {
                let transition = try FlightTransition(of: flight.lifecycle) {
                    lifecycle throws(FlightLifecycle.Refusal) in
                    try lifecycle.setAside(token: lifecycle.token, until: later)
                }
                writes.append(.advance(flight.id, transition, at: date))
                unread.insert(flight.id)
            } catch {
                continue  // it was taken a moment ago, so the machine cannot refuse
            }
        }
        guard !writes.isEmpty else { return claim }
        do {
            _ = try await commit(writes)
        } catch {
            return claim
        }
        var rest = claim
        rest.flights.removeAll { unread.contains($0.id) }
        rest.nextDue = min(claim.nextDue ?? later, later)
        return rest
    }
}

extension Claim {
    /// The claim with the prompts that are in files, or with the reasons why they cannot be read. Blocks.
    package func readingPrompts(from content: (any ContentReading)?) -> Claim {
        var claim = self
        for index in claim.flights.indices {
            guard let reference = claim.flights[index].promptContent else { continue }
            do {
                guard let content else {
                    throw AIServiceError(.contentMissing, "The store has a prompt in a file, and no files.")
                }
                let bytes = try content.read(reference)
                claim.flights[index].request.prompt = .text(String(decoding: bytes, as: UTF8.self))
                claim.flights[index].promptContent = nil
            } catch let error as AIServiceError {
                claim.flights[index].failure = error
            } catch {
                claim.flights[index].failure = AIServiceError(
                    .storageFailed, "A prompt cannot be read.", cause: "\(error)")
            }
        }
        return claim
    }
}

extension AIServiceError {
    /// Whether what could not be read now may be read later: it is neither gone nor damaged.
    fileprivate var isPassing: Bool { code.category == .storage && code != .storageCorrupt }
}
