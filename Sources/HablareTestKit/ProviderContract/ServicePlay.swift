/// A behaviour that a service simulates in the calls of a scene. The number of a call is in its prompt.
public enum ServicePlay: String, Sendable, Hashable, CaseIterable {
    /// The service answers correctly and reports its limits.
    case answers
    /// The service answers correctly, one byte at a time.
    case drips
    /// To the prompt of number n, the service answers correctly up to byte n, and then disappears: the connection is
    /// lost, or the program is killed.
    case breaksOff
    /// To the prompt of number n, the service answers correctly up to byte n, and then ends in order, as if the answer
    /// were complete.
    case endsEarly
    /// The service answers correctly up to the middle, and then sends nothing more. A provider that yields can yield
    /// the first half.
    case pauses
    /// The service shows ``ProviderStage/signCount`` times that it is working, as a thinking model does, and sends
    /// nothing more and no part of the answer.
    case thinks
    /// The service accepts the call and sends nothing.
    case isSilent
    /// The service begins to answer correctly and never ends.
    case neverEnds
    /// To the prompt of number n, the service answers with row n of ``ProviderStage/failures``.
    case refuses
    /// The service refuses with an error page that has 10 MB or no end.
    case floods
    /// To the prompt of number n, the service responds with something that is not an answer, in the n-th of
    /// ``ProviderStage/mistakeCount`` ways: another kind, another form, or nothing.
    case mistakes
    /// To the prompt of number n, the service repeats the prompt and the key, in the n-th of
    /// ``ProviderStage/repetitionCount`` ways: in the text of a refusal, in fields of an answer, or in place of a code.
    case repeats
}
