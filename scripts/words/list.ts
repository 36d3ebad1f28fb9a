/** A word that this project once coined, and the word of the field that replaces it. */
export interface WordRule {
  /** Alternatives of a regular expression, in lower case. Words are separated by single spaces: `wayIn` is read as `way in`. */
  words: string
  use: string
  /** Names are identifiers, file names, and strings without blanks. Some words are coined as a name and normal in a sentence. */
  only?: 'names'
}

export const WORD_RULES: readonly WordRule[] = [
  { words: 'tellings?', use: 'notification, delivery' },
  { words: 'told', use: 'notified, reported, stated' },
  { words: 'tells?', use: 'notify, report, state, show' },
  { words: "judg(?:e|es|ed|ing|ement|ements|ment|ments)|judges'|unjudged", use: 'evaluate, derive, authorize, validate' },
  { words: 'verdicts?', use: 'result, outcome' },
  { words: 'askers?', use: 'caller' },
  { words: 'ask|asks|asked|asking', use: 'request, query, call', only: 'names' },
  { words: 'anew', use: 'again' },
  { words: 'whoever|whomever|whosoever', use: 'who, anyone who, the caller' },
  { words: 'presum(?:e|es|ed|ing|ably)', use: 'cache, assume' },
  { words: 'put(?:s|ting)? (?:\\w+ )?together', use: 'compact, build' },
  { words: 'besides?', use: 'next to, in addition to, as well as' },
  { words: 'so long(?! that)', use: 'while, as long as, for that long' },
  { words: 'by and by', use: 'over time, gradually' },
  { words: 'lacks|lacked|lacking', use: 'does not have, is missing' },
  { words: '(?:refused|rejected|thrown away) unread', use: 'rejected' },
  { words: '(?:re|un)?seal(?:s|ed|ing)?', use: 'encrypt, decrypt, re-encrypt' },
  { words: 'the one before(?! (?:the|it|that|this))', use: 'the previous one' },
  { words: 'strangers?', use: 'orphaned, unknown' },
  { words: 'happenings', use: 'events' },
  { words: 'ways? in|ways? out', use: 'sign-in, transport, remedy', only: 'names' },
  { words: 'look(?:s|ed|ing)?(?! (?:up|ahead|behind))', use: 'read, poll, evaluation', only: 'names' },
  { words: 'forget|forgets|forgot|forgotten(?! password)', use: 'evict, delete', only: 'names' },
  { words: 'wish|wishes|wished', use: 'input, request, schedule', only: 'names' },
  {
    words: 'happening|standing|audience store|find (?:listening|asking)',
    use: 'event, open or current, recipients',
    only: 'names',
  },
  { words: 'words of', use: 'messages', only: 'names' },
  { words: 'doors?', use: 'entry point, ingest endpoint, index.ts' },
  { words: 'work off|keep once|own health|by second', use: 'the noun of what it does', only: 'names' },
  { words: 'gather|gathers|gathered', use: 'collect, read', only: 'names' },
]

/** Types that are named for what was done to them: nobody can say what they hold. */
export const PARTICIPLE_TYPES =
  /^(?:Known|Judged|Asked|Cut|Seen|Found|Kept|Held|Looked|Told|Wish|Given|Taken|Made|Chosen|Stood|Heard)$/
