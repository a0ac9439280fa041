package import Foundation

/// The result of a claim, after the prompts that are in files were read.
package struct ReadClaim: Sendable {
    /// The flights to send, ordered by urgency and then by arrival. They include flights whose prompt is gone or
    /// damaged. Such a flight fails.
    package var flights: [ClaimedFlight] = []
    /// The earliest end of a backoff. See ``Claim/nextDue``.
    package var nextDue: Date?
    /// The flights whose prompts cannot be read now. They wait in the store until the end of a backoff.
    package var putBack: [ClaimedFlight] = []
    /// The flights whose leases are to be returned. Some of these flights were not read, because they are no longer
    /// wanted. The prompts of the other flights could not be read, and the flights could not be put back.
    package var unneeded: [ClaimedFlight] = []
    /// The error that prevented putting flights back.
    package var storeFailure: (any Error)?
}

extension Journal {
    /// The backoff of a flight whose prompt cannot be read, in seconds.
    private static let unreadPause: TimeInterval = 5

    /// Reads the prompts of claimed flights, outside the journal's thread.
    ///
    /// If a prompt cannot be read now, for example because no file handle is free, its flight is put back into the
    /// store for a while. The flight then does not delay the flights behind it.
    ///
    /// - Parameters:
    ///   - claim: The claimed flights.
    ///   - date: The clock. Called after the prompts were read, because reading may take long.
    ///   - isWanted: Whether claimed flights can still be sent. Called before each file is read.
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
                continue  // unreachable: the flight was leased a moment ago
            }
        }
        _ = try await commit(writes)
    }
}

extension Claim {
    /// Whether prompts must be read from files before the flights can be sent.
    var needsReading: Bool { flights.contains { $0.promptContent != nil || $0.failure?.isPassing == true } }
}

extension ClaimedFlight {
    /// Reads the flight's prompt from its file. Returns the flight with its prompt, or with the reason why the prompt
    /// cannot be read. Blocks.
    package func readingPrompt(from content: (any ContentReading)?) -> ClaimedFlight {
        guard let reference = promptContent else { return self }
        var flight = self
        do {
            guard let content else {
                throw AIServiceError(
                    .contentMissing,
                    """
                    The store has a prompt in a content file, but no content files. This is a fault of the store: \
                    report it.
                    """)
            }
            flight.request.prompt = try Prompt(in: reference, of: content)
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
    /// Whether a later read may succeed. `false` if the content is missing or damaged.
    fileprivate var isPassing: Bool { code.category == .storage && code != .storageCorrupt }
}
