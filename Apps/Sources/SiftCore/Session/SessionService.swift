public import Foundation
public import Hablare
public import HablarePersistence
public import Logging
public import ServiceLifecycle

/// Ends the sessions of a sitting when Sift ends, and removes old records in small batches while it runs.
///
/// Decisions are kept for ``retention``. Those whose photos are in the trash are kept longer, so that they can be undone
/// as long as the trash holds the photo. Photos keep their marks and stay decided.
public struct SessionService: Service {
    /// How long decisions are kept: 90 days.
    public static let retention: TimeInterval = 90 * 24 * 3600
    /// How many records one transaction removes, so that no decision waits long for it.
    static let batch = 500
    /// The pause between two batches: 50 ms.
    static let pause: Duration = .milliseconds(50)
    /// The time between two removals: a day.
    static let interval: Duration = .seconds(24 * 3600)

    private let sessions: [Int64]
    private let database: AppDatabase
    private let clock: EngineClock
    private let date: @Sendable () -> Date
    private let logger: Logger
    private let decisions = DecisionStore()

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - sessions: The sessions to end.
    ///   - database: Sift's database.
    ///   - seams: The clock and dates. Default: those of the system.
    ///   - logger: The logger. Default: `sift.sessions`.
    public init(
        _ sessions: [Int64], database: AppDatabase, seams: EngineSeams = EngineSeams(),
        logger: Logger = Logger(label: "sift.sessions")
    ) {
        self.sessions = sessions
        self.database = database
        self.logger = logger
        clock = seams.clock
        date = seams.date
    }

    /// Runs until a graceful shutdown, and ends the sessions then. A failure of the database is logged: no decision
    /// depends on this service.
    public func run() async {
        await cancelWhenGracefulShutdown {
            do {
                while true {
                    await prune()
                    try await clock.sleep(for: Self.interval)
                }
            } catch {
                return
            }
        }
        do {
            let (sessions, decisions, now) = (sessions, decisions, date())
            try await database.write { db in
                for session in sessions { try decisions.endSession(session, at: now, in: db) }
            }
        } catch is CancellationError {
            return
        } catch {
            logger.warning("The end of the session could not be recorded")
        }
    }

    /// Removes old records until none is left.
    func prune() async {
        let (decisions, limit) = (decisions, date().addingTimeInterval(-Self.retention))
        do {
            while try await database.write({ try decisions.prune(before: limit, atMost: Self.batch, in: $0) }) > 0 {
                try await clock.sleep(for: Self.pause)
            }
        } catch is CancellationError {
            return
        } catch {
            logger.warning("Old decisions could not be removed. They are removed later")
        }
    }
}
