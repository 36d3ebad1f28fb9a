import type { PushSubscriptionItem } from '@vedette/shared'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { VedetteError } from '@vedette/client'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { Instant } from '../../components/time.tsx'
import { toast, toastError, toastProblem } from '../../components/toast.tsx'
import { useViewer } from '../../lib/api.ts'
import {
  notificationObstacle,
  ownEndpointHash,
  turnOffNotifications,
  turnOnNotifications,
} from '../../lib/browser-notifications.ts'
import { day } from '../../lib/time.ts'
import { onCall } from '../../messages/on-call.ts'
import { programOf } from './program.ts'

const text = onCall.browsers
const QUERY_KEY = ['push-subscriptions']

/** The browsers of the user that show notifications: this one is turned on here, each can be tested and turned off. */
export function Notifications() {
  const { client } = useViewer()
  const queries = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const query = useQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ signal }) => client.pushSubscriptions.list({ limit: 100 }, { signal }),
  })
  const own = query.data?.push_subscriptions.find(({ endpoint_sha256 }) => endpoint_sha256 === ownEndpointHash())
  const obstacle = notificationObstacle()
  const run = (change: () => Promise<unknown>) => {
    setBusy(true)
    change()
      .catch(toastError)
      .finally(() => {
        setBusy(false)
        void queries.invalidateQueries({ queryKey: QUERY_KEY })
      })
  }
  const turnOn = async (publicKey: string) => {
    try {
      if (await turnOnNotifications(client, publicKey)) toast(text.on)
      else toastProblem(text.notAllowed)
    } catch (error) {
      if (error instanceof VedetteError) throw error
      toastProblem(text.noService)
    }
  }
  const test = async (id: string) => {
    const { delivered, error } = await client.pushSubscriptions.test(id)
    if (delivered) toast(text.sent)
    else toastProblem(text.notSent(error?.message ?? ''))
  }
  const turnOff = async (browser: PushSubscriptionItem) => {
    await (browser === own ? turnOffNotifications(client, browser.id) : client.pushSubscriptions.remove(browser.id))
    toast(text.off)
  }
  const publicKey = query.data?.public_key
  return (
    <ListPanel
      title={text.title}
      lead={obstacle === undefined ? text.lead : `${text.lead} ${text.obstacles[obstacle]}`}
      add={
        publicKey !== undefined &&
        obstacle === undefined &&
        !own && (
          <Button small disabled={isBusy} onClick={() => run(() => turnOn(publicKey))}>
            {text.turnOn}
          </Button>
        )
      }
      query={query}
      rowsOf={({ push_subscriptions }) => push_subscriptions}
      row={(browser) => (
        <li key={browser.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
          <div className="min-w-0 flex-1">
            <p className="truncate" title={browser.user_agent}>
              {programOf(browser.user_agent)} {browser === own && <span className="text-accent">· {text.current}</span>}
            </p>
            <p className="text-[0.9rem] text-muted">
              {text.since} <Instant at={browser.created_at} format={day} />
            </p>
            {browser.last_error && <p className="text-[0.9rem] text-bad">{text.failed(browser.last_error.message)}</p>}
          </div>
          <Button small disabled={isBusy} onClick={() => run(() => test(browser.id))}>
            {text.test}
          </Button>
          <Button small disabled={isBusy} onClick={() => run(() => turnOff(browser))}>
            {text.turnOff}
          </Button>
        </li>
      )}
    />
  )
}
