import { type LinkProps, useRouter } from '@tanstack/react-router'
import type { IconComponent } from '../components/icons.tsx'
import { type ComponentType, useMemo } from 'react'

/** Puts a route into the navigation and gives it a keyboard shortcut. */
interface NavigationData {
  label: string
  /** At the bottom of narrow screens, where the label is too long. */
  shortLabel?: string
  Icon: IconComponent
  /** Not at the bottom of narrow screens, where there is no room for more. */
  isWide?: true
  /** The key after `g`. */
  shortcut: string
  /** Shown behind the label. */
  Badge?: ComponentType
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    navigation?: NavigationData
  }
}

/** Paths that need no parameter. */
type NavigationPath = Exclude<NonNullable<LinkProps['to']>, `${string}/$${string}` | '.' | '..' | ''>

interface NavigationEntry extends NavigationData {
  to: NavigationPath
}

/** Otherwise a link keeps the section of the current page. */
export const WITHOUT_SECTION = { section: undefined }

/** The entries of the navigation, in the order of the route tree. */
export function useNavigation(): NavigationEntry[] {
  const { routeTree } = useRouter()
  return useMemo(
    () =>
      (routeTree.children ?? []).flatMap(({ fullPath, options }) => {
        const { navigation } = options.staticData ?? {}
        // Routes with a parameter have no navigation data.
        return navigation ? [{ ...navigation, to: fullPath as NavigationPath }] : []
      }),
    [routeTree],
  )
}
