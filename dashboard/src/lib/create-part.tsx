import { type ComponentType, type ReactNode, useEffect, useState } from 'react'

/**
 * A part of a page whose code is loaded apart. Unlike with `lazy`, its placeholder goes at once: React shows the fallback of a Suspense for at
 * least 300 ms. A failed load is thrown to the error boundary.
 */
export function createPart<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  let loaded: ComponentType<Props> | undefined
  const loadOnce = async (): Promise<ComponentType<Props>> => (loaded ??= (await load()).default)
  /** Never rejects: the part itself loads again, and shows what fails. */
  const preload = (): void => void loadOnce().catch(() => undefined)
  function Part({ placeholder, ...props }: Props & { placeholder?: ReactNode }) {
    const [Loaded, setLoaded] = useState(() => loaded)
    useEffect(() => {
      if (Loaded) return
      loadOnce().then(
        (component) => setLoaded(() => component),
        (error: unknown) =>
          setLoaded(() => {
            throw error
          }),
      )
    }, [Loaded])
    // Without `placeholder` they are the props of the part again, which TypeScript does not conclude for a type parameter.
    return Loaded ? <Loaded {...(props as unknown as Props)} /> : placeholder
  }
  return { Part, preload }
}
