/// A part that a service plays in the calls of a scene. The number of a call is in its prompt.
public enum ServicePlay: String, Sendable, Hashable, CaseIterable {
    /// It answers correctly and reports its limits.
    case answers
    /// It answers correctly, one byte at a time.
    case drips
    /// To the prompt of number n it answers correctly up to byte n, and then disappears: the connection is lost, or the
    /// program is killed.
    case breaksOff
    /// To the prompt of number n it answers correctly up to byte n, and then ends in order, as if the answer were
    /// complete.
    case endsEarly
    /// It answers correctly up to the middle, and sends nothing more. If the provider yields, there is something to
    /// yield before.
    case pauses
    /// It shows ``ProviderStage/signCount`` times that it is at work, as a thinking model does, and sends nothing more
    /// and no part of the answer.
    case thinks
    /// It accepts the call and sends nothing.
    case isSilent
    /// It begins to answer correctly and never ends.
    case neverEnds
    /// To the prompt of number n it answers with row n of ``ProviderStage/failures``.
    case refuses
    /// It refuses with an error page that has 10 MB or no end.
    case floods
    /// To the prompt of number n it responds with something that is not an answer, in the n-th of
    /// ``ProviderStage/mistakeCount`` ways: another kind, another form, or nothing.
    case mistakes
    /// To the prompt of number n it repeats the prompt and the key, in the n-th of ``ProviderStage/repetitionCount``
    /// ways: in the text of a refusal, in fields of an answer, or in place of a code.
    case repeats
}
