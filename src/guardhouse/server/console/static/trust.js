// What may become HTML in this page: what our own daemon sent as fragments, and those hold no scripts. Text that agents
// wrote is escaped in them. htmx gets no way to run code from attributes, whatever the content policy of a page says.
(() => {
  const refuse = () => { throw new Error("Code from attributes is not run here."); };
  const rules = {
    createHTML(text) {
      if (/<script/i.test(text)) throw new Error("A fragment holds a script.");
      return text;
    },
    createScript: refuse,
    createScriptURL: refuse,
  };
  const policy = window.trustedTypes ? trustedTypes.createPolicy("guardhouse", rules) : rules;
  htmx.registerExtension("guardhouse", {
    init(api) { api.initSecurity(policy, refuse, refuse); },
  });
})();
