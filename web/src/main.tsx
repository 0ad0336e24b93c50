import { render } from 'preact';
import { listen } from './live/live';
import { Shell } from './shell/shell';
import { applyTheme } from './shell/theme';
import { startKeys } from './shell/keys';
import { preload } from './shell/pages';
import { followLinks, place } from './url/route';

applyTheme();
followLinks();
startKeys();
listen();
preload(place.peek().path);
render(<Shell />, document.getElementById('app')!);
