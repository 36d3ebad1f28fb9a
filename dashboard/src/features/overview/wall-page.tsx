import type { Overview } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { PageSkeleton } from '../../components/query-page.tsx'
import { useNow } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { schedulesQuery } from '../../lib/schedule-queries.ts'
import { slosQuery } from '../../lib/slo-queries.ts'
import { statesQuery } from '../../lib/states.ts'
import { clock } from '../../lib/time.ts'
import { setWallOpen } from '../../lib/wall-state.ts'
import { setPageTitle } from '../../lib/window-title.ts'
import { messages } from '../../messages/index.ts'
import { wall } from '../../messages/wall.ts'
import { ActiveProblems } from './active-problems.tsx'
import { type Opened, isNewIncident, sound } from './alarm.ts'
import { hasProblems } from './has-problems.ts'
import { PeopleAndBudgets, RecentActivity, StateGrid } from './parts.ts'
import { overviewQuery } from './queries.ts'

const text = wall
const SCREEN_MS = 20_000
/** Without an answer for longer, what is shown may be wrong. */
const STALE_MS = 150_000

/** The whole screen for what is wrong: it changes between its parts, sounds at a new incident, and keeps the screen awake. */
export function WallPage() {
  const navigate = useNavigate()
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  useEffect(() => setPageTitle(text.title), [])
  useWakeLock()
  useEffect(() => {
    setWallOpen(true)
    return () => setWallOpen(false)
  }, [])
  const leave = () => void navigate({ to: '/' })
  return (
    <dialog
      ref={dialog}
      aria-label={text.title}
      onCancel={(event) => {
        event.preventDefault()
        leave()
      }}
      className="m-0 h-dvh max-h-none w-screen max-w-none overflow-y-auto bg-ground p-4 text-text sm:p-6 min-[1800px]:[zoom:1.3]"
    >
      <Wall onFullScreen={() => void dialog.current?.requestFullscreen().catch(() => undefined)} onLeave={leave} />
    </dialog>
  )
}

function Wall({ onFullScreen, onLeave }: { onFullScreen: () => void; onLeave: () => void }) {
  const viewer = useViewer()
  const { data: overview, dataUpdatedAt } = useQuery(overviewQuery(viewer))
  const [audio, setAudio] = useState<AudioContext>()
  useAlarm(overview, audio)
  const toggleSound = () => {
    void audio?.close()
    const next = audio ? undefined : new AudioContext()
    setAudio(next)
    if (next) sound(next)
  }
  if (!overview) return <PageSkeleton title={text.title} />
  return (
    <>
      <Headline overview={overview} updatedAtMs={dataUpdatedAt}>
        <Button small aria-pressed={audio !== undefined} onClick={toggleSound}>
          {audio ? text.soundOn : text.sound}
        </Button>
        <Button small onClick={onFullScreen}>
          {text.fullScreen}
        </Button>
        <Button small onClick={onLeave}>
          {text.leave}
        </Button>
      </Headline>
      <Screens overview={overview} />
      {!viewer.isRemembered() && <p className="mt-4 text-muted">{text.signedOut}</p>}
    </>
  )
}

interface HeadlineProps {
  overview: Overview
  updatedAtMs: number
  children: ReactNode
}

/** Always in view: how much is wrong, and what time it is. */
function Headline({ overview, updatedAtMs, children }: HeadlineProps) {
  const nowMs = useNow()
  const states = useQuery(statesQuery(useViewer())).data
  const waiting = states?.servers.filter((server) => server.waiting).length ?? 0
  const { open_incidents, monitors, servers, unhealthy_servers } = overview
  const parts = [
    [open_incidents.total, text.incidents],
    [monitors.down, text.monitors],
    [monitors.degraded, text.degraded],
    [servers.offline - waiting, text.servers],
    [unhealthy_servers.total, text.unhealthy],
  ] as const
  const isBad = hasProblems(overview)
  return (
    <div
      className={`mb-4 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-xl px-5 py-4 ${isBad ? 'bg-bad-ground text-bad' : 'bg-good-ground text-good'}`}
    >
      <h1 aria-live="polite" className="mr-auto text-[2rem] leading-tight">
        {isBad
          ? parts
              .filter(([count]) => count > 0)
              .map(([count, name]) => name(count))
              .join(' · ')
          : messages.overview.noProblems}
      </h1>
      {nowMs - updatedAtMs > STALE_MS && <p className="font-semibold">{text.lost(clock(updatedAtMs))}</p>}
      <p className="text-[1.6rem] tabular-nums">{clock(nowMs)}</p>
      <div className="flex flex-wrap gap-2">{children}</div>
    </div>
  )
}

/** One after another: first what is wrong and everything, then what there is of the rest. */
function Screens({ overview }: { overview: Overview }) {
  const viewer = useViewer()
  const schedules = useQuery(schedulesQuery(viewer, 1)).data?.total ?? 0
  const slos = useQuery(slosQuery(viewer, 1)).data?.total ?? 0
  const state = (
    <div className="grid gap-4">
      {hasProblems(overview) && <ActiveProblems overview={overview} />}
      <StateGrid />
    </div>
  )
  const people = (
    <div className="grid gap-4 lg:grid-cols-2 lg:items-start">
      <PeopleAndBudgets />
    </div>
  )
  const screens = [
    { name: text.screens.state, content: state },
    ...(schedules + slos > 0 ? [{ name: text.screens.people, content: people }] : []),
    { name: text.screens.activity, content: <RecentActivity overview={overview} /> },
  ]
  const [shown, setShown] = useState(0)
  const [isPaused, setPaused] = useState(false)
  useEffect(() => {
    if (isPaused) return undefined
    const timer = setInterval(() => setShown((before) => before + 1), SCREEN_MS)
    return () => clearInterval(timer)
  }, [isPaused])
  const index = shown % screens.length
  return (
    <>
      {screens[index]?.content}
      <div className="mt-4 flex flex-wrap items-center gap-2">
        {screens.map(({ name }, at) => (
          <Button
            key={name}
            small
            variant="quiet"
            aria-current={at === index}
            aria-label={text.screen(name, at + 1, screens.length)}
            className={at === index ? 'font-semibold text-accent' : ''}
            onClick={() => {
              setShown(at)
              setPaused(true)
            }}
          >
            {name}
          </Button>
        ))}
        <Button small onClick={() => setPaused(!isPaused)}>
          {isPaused ? text.resume : text.pause}
        </Button>
      </div>
    </>
  )
}

function useAlarm(overview: Overview | undefined, audio: AudioContext | undefined): void {
  const last = useRef<Opened>(undefined)
  useEffect(() => {
    if (!overview) return
    const { total, incidents } = overview.open_incidents
    const now = { total, ids: new Set(incidents.map(({ id }) => id)) }
    if (audio && isNewIncident(last.current, now)) sound(audio)
    last.current = now
  }, [overview, audio])
}

/** The browser gives the lock up when the page is hidden. */
function useWakeLock(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | undefined
    let isOver = false
    const request = async () => {
      if (document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return
      lock = await navigator.wakeLock.request('screen')
      if (isOver) await lock.release()
    }
    const keep = () => void request().catch(() => undefined)
    keep()
    document.addEventListener('visibilitychange', keep)
    return () => {
      isOver = true
      document.removeEventListener('visibilitychange', keep)
      void lock?.release().catch(() => undefined)
    }
  }, [])
}
