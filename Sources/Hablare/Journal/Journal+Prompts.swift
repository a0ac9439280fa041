package import Foundation

/// What came of a claim once the prompts that are in files were read.
package struct ReadClaim: Sendable {
    /// What can be sent, in order of urgency, then of arrival; or fails, because its prompt is gone or damaged.
    package var flights: [ClaimedFlight] = []
    /// See ``Claim/nextDue``.
    package var nextDue: Date?
    /// Those whose prompts cannot be read now, and why. They wait in the store again, for a while.
    package var putBack: [ClaimedFlight] = []
    /// Leases that nobody needs: those that were not looked at any more, and those that could be neither read nor put
    /// back. They are to be given back.
    package var unneeded: [ClaimedFlight] = []
    /// Why what cannot be read could not be put back either.
    package var storeFailure: (any Error)?
}

extension Journal {
    /// How long a request whose prompt cannot be read is left alone, in seconds.
    private static let unreadPause: TimeInterval = 5

    /// Reads the prompts of flights that were taken, not on the journal's thread.
    ///
    /// One whose prompt cannot be read now, for want of a file handle, say, is not lost. It is put back for a while, so
    /// that neither it nor those after it wait for each other.
    ///
    /// - Parameters:
    ///   - claim: What was taken.
    ///   - date: The time; asked again after the reading, which may take long.
    ///   - isWanted: Asked before each file is read: whether what is taken can still be sent.
    package func reading(
        _ claim: Claim, date: @Sendable () -> Date, isWanted: @escaping @Sendable () -> Bool = { true }
    ) async -> ReadClaim {
        var read = await reading(claim, while: isWanted)
        guard !read.putBack.isEmpty else { return read }
        let now = date()
        let later = now.addingTimeInterval(Self.unreadPause)
        do {
            try await putBack(read.putBack, until: later, at: now)
            read.nextDue = min(read.nextDue ?? later, later)
        } catch {
            read.unneeded += read.putBack
            read.putBack = []
            read.storeFailure = error
        }
        return read
    }

    @concurrent private func reading(_ claim: Claim, while isWanted: @Sendable () -> Bool) async -> ReadClaim {
        var read = ReadClaim(nextDue: claim.nextDue)
        for flight in claim.flights {
            if flight.promptContent != nil, !isWanted() {
                read.unneeded.append(flight)
                continue
            }
            let flight = flight.readingPrompt(from: content)
            if flight.failure?.isPassing == true { read.putBack.append(flight) } else { read.flights.append(flight) }
        }
        return read
    }

    private func putBack(_ flights: [ClaimedFlight], until later: Date, at date: Date) async throws {
        var writes: [StoreWrite] = []
        for flight in flights {
            do throws(FlightLifecycle.Refusal) {
                let transition = try FlightTransition(of: flight.lifecycle) {
                    lifecycle throws(FlightLifecycle.Refusal) in
                    try lifecycle.setAside(token: lifecycle.token, until: later)
                }
                writes.append(.advance(flight.id, transition, at: date))
            } catch {
                continue  // it was taken a moment ago, so the machine cannot refuse
            }
        }
        _ = try await commit(writes)
    }
}

extension Claim {
    /// Whether prompts have to be read from files before its flights can be sent.
    var needsReading: Bool { flights.contains { $0.promptContent != nil || $0.failure?.isPassing == true } }
}

extension ClaimedFlight {
    /// The flight with its prompt, if that is in a file, or with the reason why it cannot be read. Blocks.
    package func readingPrompt(from content: (any ContentReading)?) -> ClaimedFlight {
        guard let reference = promptContent else { return self }
        var flight = self
        do {
            guard let content else {
                throw AIServiceError(.contentMissing, "The store has a prompt in a file, and no files.")
            }
            let bytes = try content.read(reference)
            flight.request.prompt = .text(String(decoding: bytes, as: UTF8.self))
            flight.promptContent = nil
        } catch let error as AIServiceError {
            flight.failure = error
        } catch {
            flight.failure = AIServiceError(.storageFailed, "A prompt cannot be read.", cause: "\(error)")
        }
        return flight
    }
}

extension AIServiceError {
    /// Whether what could not be read now may be read later: it is neither gone nor damaged.
    fileprivate var isPassing: Bool { code.category == .storage && code != .storageCorrupt }
}
