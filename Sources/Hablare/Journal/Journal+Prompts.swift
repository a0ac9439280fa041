package import Foundation

/// The result of a claim, after the prompts in content files have been read. A claim leases waiting flights to this
/// process.
package struct ReadClaim: Sendable {
    /// The flights to send, ordered by urgency and then by arrival. They include flights whose prompt is missing or
    /// damaged. The attempts of these flights fail.
    package var flights: [ClaimedFlight] = []
    /// The earliest date at which the backoff of a waiting flight ends. See ``Claim/nextDue``.
    package var nextDue: Date?
    /// The flights whose prompts cannot be read at the moment. They were returned to the store, where they wait for the
    /// end of a backoff.
    package var putBack: [ClaimedFlight] = []
    /// The flights whose leases must be returned. Some of these flights are no longer wanted, so their prompts were not
    /// read. The prompts of the other flights could not be read, and the flights could not be returned with a backoff.
    package var unneeded: [ClaimedFlight] = []
    /// The error that prevented returning flights to the store with a backoff.
    package var storeFailure: (any Error)?
}

extension Journal {
    /// The length of the backoff of a flight whose prompt cannot be read, in seconds.
    private static let unreadPause: TimeInterval = 5

    /// Reads the prompts of claimed flights on another thread than the journal's thread.
    ///
    /// If a prompt cannot be read at the moment, for example because the process has no free file descriptor, its
    /// flight is returned to the store with a backoff. The flight then does not delay the flights that wait after it.
    ///
    /// - Parameters:
    ///   - claim: The claimed flights.
    ///   - date: The clock that gives the start of a backoff. It is called after the prompts were read, because reading
    ///     may take long.
    ///   - isWanted: A function that returns whether claimed flights can still be sent. It is called before each file
    ///     is read.
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
    /// Whether a prompt must be read from a file before the flights can be sent.
    var needsReading: Bool { flights.contains { $0.promptContent != nil || $0.failure?.isPassing == true } }
}

extension ClaimedFlight {
    /// Reads the flight's prompt from its file. Returns the flight with its prompt, or with the error that prevented
    /// the reading. Blocks the calling thread.
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
    /// Whether a later read may succeed. The value is `false` if the content is missing or damaged.
    fileprivate var isPassing: Bool { code.category == .storage && code != .storageCorrupt }
}
