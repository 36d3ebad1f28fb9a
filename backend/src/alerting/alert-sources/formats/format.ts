/** One alert as its sender describes it. Texts are cut to their bounds when it is stored. */
export interface ReceivedAlert {
  /** What makes it the same alert within its source, as it was sent. */
  key: string
  status: 'firing' | 'acknowledged' | 'resolved' | 'commented'
  title: string
  /** In the sender's own word; null where it has none. */
  severity: string | null
  /** What it is about, by the sender's names: `host`, `instance`, `service`. */
  labels: Readonly<Record<string, string>>
  /** What people read next to the title; null where there is nothing. */
  text: string | null
  /** A page of the sender about it; never fetched. */
  url: string | null
  startsAtMs: number | null
  /** When it is over unless it is sent again. */
  endsAtMs: number | null
  /** Who acknowledged, resolved or commented at the sender. */
  by: string | null
}

/** What a format reads of a request. */
export interface ReceivedRequest {
  body: unknown
  headers: Readonly<Record<string, string | string[] | undefined>>
  nowMs: number
}

/**
 * How one kind of sender describes its alerts. Pure. A body that is none of this kind throws validation_error with the field; an
 * alert in it that cannot be read is left out and named in `faults`, in words.
 */
export interface AlertFormat {
  read(request: ReceivedRequest): { alerts: ReceivedAlert[]; faults: string[] }
}
