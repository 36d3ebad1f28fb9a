import type { Client } from '@vedette/client'
import type { GivenCredential } from '@vedette/shared'
import { useEffect, useEffectEvent, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { toastError } from '../../components/toast.tsx'
import { requestPasskey, offerPasskeys } from '../../lib/passkeys.ts'
import { passkeys } from '../../messages/passkeys.ts'

interface Props {
  client: Client
  onSession: (token: string, isRemembered: boolean) => void
}

/** Signs in with a passkey, which the browser also suggests for the email. */
export function PasskeyButton({ client, onSession }: Props) {
  const stopOffer = useRef<() => Promise<void>>(undefined)
  const open = useEffectEvent(async (credential: GivenCredential | undefined) => {
    if (!credential) return
    const remember = document.querySelector<HTMLInputElement>('input[name=remember]')?.checked === true
    onSession((await client.passkeys.signIn({ credential, remember })).token, remember)
  })
  useEffect(() => {
    const controller = new AbortController()
    // Without suggestions the button and the password remain.
    const offered = offerPasskeys(() => client.passkeys.startSignIn(), controller.signal).catch(() => undefined)
    void offered.then(open).catch(toastError)
    stopOffer.current = async () => {
      controller.abort()
      await offered
    }
    return () => controller.abort()
  }, [client])
  const signIn = async () => {
    // A browser has one request at a time.
    await stopOffer.current?.()
    await open(await requestPasskey(await client.passkeys.startSignIn()))
  }
  return <Button onClick={() => void signIn().catch(toastError)}>{passkeys.signIn}</Button>
}
