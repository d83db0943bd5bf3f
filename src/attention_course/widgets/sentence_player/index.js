// The sentence player, of verses from French to English.
import { render } from "./player.js";

export default { render };
