import { statusName } from '../lib/status.ts'

type Tone = 'good' | 'warn' | 'bad' | 'idle'

const TONES: Readonly<Record<string, Tone>> = {
  up: 'good',
  online: 'good',
  degraded: 'warn',
  down: 'bad',
  offline: 'bad',
  paused: 'idle',
  idle: 'idle',
  inconclusive: 'idle',
  pending: 'idle',
  open: 'bad',
  acknowledged: 'warn',
  resolved: 'good',
  completed: 'good',
  confirmed: 'good',
  published: 'good',
  verified: 'good',
  investigating: 'bad',
  identified: 'warn',
  monitoring: 'warn',
  critical: 'bad',
  warning: 'warn',
  info: 'idle',
  in_progress: 'warn',
  flapping: 'warn',
}

export const toneOf = (status: string): Tone => TONES[status] ?? 'idle'

const BADGES: Readonly<Record<Tone, string>> = {
  good: 'bg-good-ground text-good',
  warn: 'bg-warn-ground text-warn',
  bad: 'bg-bad-ground text-bad',
  idle: 'bg-idle-ground text-idle',
}
const MARKS: Readonly<Record<Tone, string>> = {
  good: 'fill-good-bar',
  warn: 'fill-warn-bar',
  bad: 'fill-bad-bar',
  idle: 'fill-field-line',
}

/** Each tone has a shape as well, for people who do not see the colours: disc, triangle, square, ring; two bars for paused. */
export function StatusMark({ status, className = '' }: { status: string; className?: string }) {
  const tone = toneOf(status)
  return (
    <svg viewBox="0 0 12 12" aria-hidden="true" className={`size-3 shrink-0 ${MARKS[tone]} ${className}`}>
      {tone === 'good' && <circle cx="6" cy="6" r="5" />}
      {tone === 'warn' && <path d="M6 .8 11.6 11H.4Z" />}
      {tone === 'bad' && <rect x="1" y="1" width="10" height="10" rx="1.5" />}
      {status === 'paused' && <path d="M2 1h3v10H2zM7 1h3v10H7z" />}
      {tone === 'idle' && status !== 'paused' && (
        <path fillRule="evenodd" d="M6 1a5 5 0 1 0 0 10A5 5 0 0 0 6 1zm0 2.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6z" />
      )}
    </svg>
  )
}

/** `label`: instead of the name of the status. */
export function StatusBadge({ status, label = statusName(status) }: { status: string; label?: string | undefined }) {
  return (
    <span
      className={`inline-flex items-center gap-1.5 whitespace-nowrap rounded-full px-2 py-0.5 font-medium text-[0.88rem] leading-5 ${BADGES[toneOf(status)]}`}
    >
      <StatusMark status={status} className="size-2.5" />
      {label}
    </span>
  )
}
